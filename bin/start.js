// npm start: a fresh clone is installed and built first.
import { setup } from './setup.js'

setup()
const { main } = await import('../dist/src/cli/main.js')
await main(['serve', ...process.argv.slice(2)])
