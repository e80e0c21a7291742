import multer from '@koa/multer'
import Koa from 'koa'
import { serveBare } from './serve-koa.js'

/*
 * What a form costs at least with this framework: one handler that receives it into memory, looks at none of it and answers
 * 204.
 */

const app = new Koa()
app.use(multer({ storage: multer.memoryStorage() }).any())
app.use(ctx => {
  ctx.status = 204
})
serveBare(app)
