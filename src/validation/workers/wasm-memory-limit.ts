import { outOfMemory } from './task-protocol.js'

// The types of WebAssembly come with those of browsers only.
interface Memory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}
declare const WebAssembly: { readonly Memory: { readonly prototype: Memory } }

const pageSize = 65_536

/**
 * Ends this thread or process, with the exit code {@link outOfMemory}, before its WebAssembly memory is larger than
 * `bytes`: no other limit counts that. A refused allocation would leave the library in a state nobody has tested. To be
 * called before the module is loaded, which allocates its first memory then.
 */
export function capWasmMemory(bytes: number): void {
  const grow = WebAssembly.Memory.prototype.grow
  WebAssembly.Memory.prototype.grow = function (this: Memory, pages: number): number {
    if (this.buffer.byteLength + pages * pageSize > bytes) process.exit(outOfMemory)
    return grow.call(this, pages)
  }
}
