"""The history screen: what is asked, its five lists, the form and the keys."""
