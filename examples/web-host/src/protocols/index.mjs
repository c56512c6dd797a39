// The protocols that this host speaks, by name. Each class has the methods of `Aionrs`.
import { Aionrs } from "./aionrs.mjs";
import { Pi } from "./pi.mjs";

export const PROTOCOLS = { aionrs: Aionrs, pi: Pi };
