// The types of the frames of a dialect, by its name.
import type { Dialects } from "./types/index.js";

/** A JSON object, such as a frame. */
export type JsonObject = { [member: string]: unknown };

type NameOf<Id> = Id extends `${infer Name}@${string}` ? Name : never;

/** `NAME@VERSION` of a built-in dialect, or `NAME` for the version that its hosts speak. */
export type BuiltInProtocol = keyof Dialects | NameOf<keyof Dialects>;

/** The name of a built-in dialect, or of an own one. */
export type Protocol = BuiltInProtocol | (string & {});

/** What an agent of this dialect sends. */
export type EventOf<P> = P extends keyof Dialects ? Dialects[P]["event"] : JsonObject;

/** What a host of this dialect sends. */
export type CommandOf<P> = P extends keyof Dialects ? Dialects[P]["command"] : JsonObject;
