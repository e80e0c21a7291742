// npm run build, and the first step of the other scripts.
import { setup } from './setup.js'

setup()
