"""Jump: a letter over each pane, tab and field moves the focus there."""
