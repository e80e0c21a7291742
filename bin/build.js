// npm run build, which is also the first step of the other scripts.
import { setup } from './setup.js'

await setup()
