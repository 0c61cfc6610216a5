"""What a person sees and presses. The only room that imports Textual."""
