import { pipeline, Readable } from 'node:stream'
import { promisify } from 'node:util'
import { createGzip, gzip, type ZlibOptions } from 'node:zlib'
import type { Context } from 'koa'
import { onResponseClose } from '../response-close.js'

/*
 * Compression of bodies with gzip, in the threads of Node.js for such work. The caller sees to it that the answer has no
 * strong ETag, and that no browser adds credentials to such a request by itself: the length of a compressed answer can
 * tell an attacker who chooses a part of it about the rest.
 */

/** Characters of a body that is not compressed. */
const shortBody = 1024
/** A half of the time of the usual level, for a tenth more bytes. */
const options: ZlibOptions = { level: 4 }
/** Compressed streams at a time, each of which takes 300 KB. Further ones are sent as they are. */
const maxStreams = 32

let streams = 0

const gzipText = promisify<string, ZlibOptions, Buffer>(gzip)

/**
 * Sets the body of a response, compressed if the client takes gzip. A stream is compressed piece by piece while the
 * client reads it.
 */
export async function sendCompressed(ctx: Context, body: string | Readable): Promise<void> {
  ctx.vary('Accept-Encoding')
  const isText = typeof body === 'string'
  const isLong = !isText || body.length > shortBody
  if (!isLong || ctx.acceptsEncodings('gzip', 'identity') !== 'gzip') {
    ctx.body = body
    return
  }
  if (ctx.method === 'HEAD') {
    setEncoding(ctx)
    // The length of a compressed body is not known without the body.
    ctx.body = Readable.from([])
    if (!isText) body.destroy()
  } else if (isText) {
    const bytes = await gzipText(body, options)
    setEncoding(ctx)
    ctx.body = bytes
  } else if (streams < maxStreams) {
    streams += 1
    onResponseClose(ctx, () => {
      streams -= 1
    })
    setEncoding(ctx)
    // Koa sends the result, and reports its error, which is that of the body.
    ctx.body = pipeline(body, createGzip(options), () => undefined)
  } else ctx.body = body
}

function setEncoding(ctx: Context): void {
  ctx.set('Content-Encoding', 'gzip')
}
