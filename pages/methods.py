"""All methods: the index of everything, found by name, synonym, author, task, page or course."""

from ui.index.page import index_page

index_page()
