"""Many boards at once, on any device, and the Gymnasium environments made of them.

``tensor_boards`` plays the rules on boolean planes, ``bitboards`` on one int64 a plane,
``wide_bitboards`` on several; ``simulators`` chooses. ``games`` plays whole games in one compiled
call; ``distances`` holds exact tables of one-box levels. ``environment`` and
``vector_environment`` are Gymnasium's, by the name that ``registration`` gives them.
"""
