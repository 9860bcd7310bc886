"""Squares, words and pushes in one sequence: a transformer that obeys instructions and answers.

``tokoban.sokoban.instructions`` has the sentences and their exact truth, and checks every play.
"""
