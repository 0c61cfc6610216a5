"""Welcome of the first starts: practise on paper, connect a service, or look only."""
