"""The public functions, which ``tokoban`` exports lazily: nothing else belongs to the interface.

Each function imports what it needs when it is called, so that solving imports no torch.
"""
