import multer from '@koa/multer'
import Koa from 'koa'
import { serveBare } from './serve-koa.js'

/*
 * The least cost of a form with this framework: a handler that receives the form into memory, ignores it and answers
 * 204.
 */

const app = new Koa()
app.use(multer({ storage: multer.memoryStorage() }).any())
app.use(ctx => {
  ctx.status = 204
})
serveBare(app)
