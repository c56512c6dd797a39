#!/usr/bin/env node
import { run } from "../platform.js";

run("mock-agent");
