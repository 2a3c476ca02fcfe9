// The loader's worker, with an eye on the guest's memory.

import "./soak-memory.ts";
import "../host/worker.ts";
