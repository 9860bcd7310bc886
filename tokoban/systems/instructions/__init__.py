"""Squares, words and pushes in one sequence: a transformer that obeys instructions and answers.

It starts from the weights of the push policy. ``tokoban.sokoban.instructions`` has the sentences
and their exact truth, and checks every play.
"""
