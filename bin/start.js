// npm start: installs and builds a fresh clone, then starts the server.
import { setup } from './setup.js'

// This comes before the installation, because npm can be stopped during it.
if (process.env.npm_lifecycle_event === 'start') endWithParent()
await setup('program')
const { main } = await import('../dist/program/main.js')
await main(['serve', ...process.argv.slice(2)])

/** Ends the server when npm's shell ends. Without this the server keeps running and keeps its port. */
function endWithParent() {
  const parent = process.ppid
  const looking = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(looking)
    process.kill(process.pid, 'SIGTERM')
  }, 250)
  looking.unref()
}
