"""Fast execution of the core's stacks; knows embeddings and caches, not sentences or boards.

::

    Network (what is executed) ── Engine.read(prompts) ── Rows.advance(inputs, parents) ── outputs

    PlainEngine      whole sequences again at every step: the reference for the others
    CachedEngine     torch with a KV cache, on any device; with fixed shapes for CUDA graphs
                     of a packed_network: weights laid out for the CPU, in fp32, bf16 or int8
    CompiledEngine   compiled loops on a CPU in fp32
    CpuEngine        compiled loops or packed weights, whichever is faster; fastest_engine
    CudaGraph        a function of tensors at fixed addresses, captured once

Nothing is imported here: ``compiled_math`` and ``compiled_products`` need no torch.
"""
