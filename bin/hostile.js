// npm run hostile -- --seconds 10: attacks a server and measures the effects on other clients. See docs/run/security.md.
import { setup } from './setup.js'

await setup()
await import('../dist/test/hostile/attacks/run-attacks.js')
