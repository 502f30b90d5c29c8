"""What all tests share: one thread, as the app and its workers have by default."""

import os

from service.limits import thread_settings

# Before numpy is imported: the last bits of a result depend on the number of threads.
os.environ.update(thread_settings(1))
