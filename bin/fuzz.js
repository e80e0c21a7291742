// npm run fuzz -- --seconds 60 --seed 1: builds, then sends generated requests to a server. See docs/run/security.md.
import { setup } from './setup.js'

await setup()
await import('../dist/test/fuzz/run-fuzz.js')
