"""Simulation of many boards at once on any device, and the Gymnasium environments.

``tensor_boards`` implements the rules on boolean planes, ``bitboards`` on one int64 per plane,
``wide_bitboards`` on several; ``simulators`` chooses. ``games`` plays whole games in one compiled
call; ``distances`` has exact tables of one-box levels. ``environment`` and ``vector_environment``
implement Gymnasium's interfaces; ``registration`` registers them.
"""
