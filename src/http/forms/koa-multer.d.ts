/** Types of those functions of @koa/multer that are used; the package has none. Options are those of multer 2.5. */
declare module '@koa/multer' {
  import type { IncomingMessage } from 'node:http'
  import type { Writable } from 'node:stream'
  import type { Context, Next } from 'koa'

  export interface StoredFile {
    readonly fieldname: string
    readonly originalname: string
    readonly mimetype: string
    readonly buffer: Buffer
  }

  export interface Options {
    readonly storage: unknown
    readonly limits?: {
      readonly fieldNameSize: number
      readonly fieldSize: number
      readonly fileSize: number
      readonly parts: number
      readonly headerPairs: number
    }
    readonly preservePath?: boolean
    readonly defParamCharset?: string
    readonly defCharset?: string
    readonly streamHandler?: (request: IncomingMessage, busboy: Writable) => void
  }

  interface Multer {
    (options: Options): { any(): (context: Context, next: Next) => Promise<unknown> }
    memoryStorage(): unknown
  }
  const multer: Multer
  // biome-ignore lint/style/noDefaultExport: the package has no other
  export default multer
}
