import { outOfMemory } from './task-protocol.js'

// The types of WebAssembly are part of the types of browsers only.
interface Memory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}
declare const WebAssembly: { readonly Memory: { readonly prototype: Memory } }

const pageSize = 65_536

/**
 * Ends this process with the exit code {@link outOfMemory} before its WebAssembly memory exceeds `bytes`. No other
 * limit counts that memory. A refused allocation would leave the library in an untested state. To be called before the
 * WebAssembly module is loaded, because loading allocates memory.
 */
export function capWasmMemory(bytes: number): void {
  const grow = WebAssembly.Memory.prototype.grow
  WebAssembly.Memory.prototype.grow = function (this: Memory, pages: number): number {
    if (this.buffer.byteLength + pages * pageSize > bytes) process.exit(outOfMemory)
    return grow.call(this, pages)
  }
}
