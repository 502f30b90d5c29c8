"""Labs: one idea each, with controls, numbers and what one should see.

They stand above the families and may use any of them.
"""

ENTRIES = {
    "lab": {
        "leak_switch": "mlcore.labs.leak_switch:LeakSwitch",
    },
}
