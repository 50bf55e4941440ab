"""Property based generalizations (Dewri et al. 2010): the search, judged by its own measures."""
