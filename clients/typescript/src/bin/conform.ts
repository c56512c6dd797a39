#!/usr/bin/env node
import { run } from "../platform.js";

run("conform");
