"""What the desk can do, one folder each; a feature never imports another one."""
