"""Random presses on the ladder while a recorded market runs: what was shown, what left and what was journaled agree."""
