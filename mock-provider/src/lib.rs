//! A deterministic scripted model, in-process and over the real LLM wires.
