"""The documents for people: links, commands, generated parts, size, and the site that is built of them."""
