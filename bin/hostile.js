// npm run hostile -- --seconds 10: attacks on a started server, measured by what others notice.
// See docs/run/security.md.
import { setup } from './setup.js'

setup()
await import('../dist/test/hostile/attacks/run-attacks.js')
