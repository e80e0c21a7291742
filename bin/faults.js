// npm run faults: hurts servers for as long as it takes, and looks what is left. See docs/reliability.md.
import { setup } from './setup.js'

setup()
await import('../dist/test/faults/main.js')
