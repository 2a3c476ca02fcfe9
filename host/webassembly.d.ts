// The part of WebAssembly's JavaScript interface that the loader uses. TypeScript
// ships it with the DOM only, whose Event, Text and File would shadow the wire's.

declare namespace WebAssembly {
  class Module {
    private readonly brand: undefined;
    static imports(module: Module): { module: string; name: string; kind: string }[];
  }
  class Instance {
    constructor(module: Module, imports: Imports);
    readonly exports: Record<string, unknown>;
  }
  class Memory {
    readonly buffer: ArrayBuffer;
  }
  class RuntimeError extends Error {}
  type Imports = Record<string, Record<string, (...args: never[]) => number | void>>;
  function compile(bytes: Uint8Array): Promise<Module>;
  function validate(bytes: Uint8Array<ArrayBuffer>): boolean;
}
