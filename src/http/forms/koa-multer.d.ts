/** Types of those functions of @koa/multer that are used; the package has none. */
declare module '@koa/multer' {
  import type { IncomingMessage } from 'node:http'
  import type { Writable } from 'node:stream'
  import type { Context, Next } from 'koa'
  import type original from 'multer'

  export type StoredFile = Express.Multer.File

  /** Options of multer 2.5, with those that `@types/multer` lacks. */
  export interface Options extends original.Options {
    readonly defCharset?: string
    readonly streamHandler?: (request: IncomingMessage, busboy: Writable) => void
  }

  interface Multer {
    (options: Options): { any(): (context: Context, next: Next) => Promise<unknown> }
    readonly memoryStorage: typeof original.memoryStorage
  }
  const multer: Multer
  // biome-ignore lint/style/noDefaultExport: the package has no other
  export default multer
}
