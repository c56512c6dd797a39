// The types of the frames of a dialect, by its name.
import type { Dialects } from "./types/index.js";

/** A JSON object, such as a frame. */
export type JsonObject = { [member: string]: unknown };

/** `NAME@VERSION` of a dialect, or `NAME` for the version that its hosts speak. */
export type Protocol = keyof Dialects | (string & {});

/** What an agent of this dialect sends. */
export type EventOf<P> = P extends keyof Dialects ? Dialects[P]["event"] : JsonObject;

/** What a host of this dialect sends. */
export type CommandOf<P> = P extends keyof Dialects ? Dialects[P]["command"] : JsonObject;
