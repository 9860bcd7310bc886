"""Everything that draws: curves, animations and pages of attention. It knows no system.

Read ``plots`` (curves and maps), ``films`` (GIF animations) and ``attention_page`` (one HTML file).
"""
