import { pipeline, Readable } from 'node:stream'
import { promisify } from 'node:util'
import { createGzip, gzip, type ZlibOptions } from 'node:zlib'
import type { Context } from 'koa'
import { onResponseClose } from '../../../http/request-state.js'

/*
 * Compresses bodies with gzip, in the threads of Node.js for such work. Use it only for answers without a strong ETag,
 * and for requests to which no browser adds credentials by itself: an attacker who can choose a part of an answer could
 * learn the rest from the length of the compressed answer.
 */

/** Limit of the characters of a body that is too short to be compressed. */
const shortBody = 1024
/** Level 4 takes half the time of the default level, for a result that is a tenth larger. */
const options: ZlibOptions = { level: 4 }
/** Limit of the streams that are compressed at a time: each takes 300 KB of memory. Others are sent uncompressed. */
const maxStreams = 32

let streams = 0

const gzipText = promisify<string, ZlibOptions, Buffer>(gzip)

/**
 * Sets the body of a response, compressed if the client accepts gzip and the body is not short. A stream is compressed
 * piece by piece while the client reads it.
 */
export async function sendCompressed(ctx: Context, body: string | Readable): Promise<void> {
  ctx.vary('Accept-Encoding')
  const isText = typeof body === 'string'
  const isShort = isText && body.length <= shortBody
  if (isShort || ctx.acceptsEncodings('gzip', 'identity') !== 'gzip') {
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
    // Koa sends the compressed stream, and reports its error, which may come from the body.
    ctx.body = pipeline(body, createGzip(options), () => undefined)
  } else ctx.body = body
}

function setEncoding(ctx: Context): void {
  ctx.set('Content-Encoding', 'gzip')
}
