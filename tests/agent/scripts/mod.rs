//! The built-in scripts, the markers in prompts that choose them, the pace, and the parts of scripts, in every dialect.

mod every_script;
mod host;
mod markers;
mod process;
mod script_keys;
mod surface;
