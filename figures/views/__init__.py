"""One file a view; every one is found through `figures.view.views`."""
