"""Screen of the desks and programs on this account: what each may do, asks for and holds."""
