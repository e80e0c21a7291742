// npm run bench: builds, then runs every benchmark. npm run bench -- <name>…: runs these benchmarks. See
// docs/understand/performance.md.
import { setup } from './setup.js'

await setup()
await import('../dist/bench/run-benchmarks.js')
