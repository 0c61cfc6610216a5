"""Plain mode: the desk as short lines, for line readers, screen readers, dumb terminals and pipes."""
