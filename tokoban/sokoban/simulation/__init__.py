"""Simulation of many boards at once on any device, and the Gymnasium environments.

``tensor_boards`` has boards as boolean planes. ``bitboards`` implements the rules on one int64 per
plane, ``wide_bitboards`` on several; ``simulators`` chooses. ``distances`` has exact tables of
one-box levels. ``environment`` and ``vector_environment`` implement Gymnasium's interfaces;
``registration`` registers them.
"""
