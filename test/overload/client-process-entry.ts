import { openClients, type Run } from './open-loop-clients.js'

/* Clients in a process of their own. Its arguments: which of how many it is. Told a run, it says how it goes. */

const [place, processes] = process.argv.slice(2).map(Number)
const clients = openClients(place ?? 0, processes ?? 1)

/** Milliseconds between two reports. */
const interval = 500

process.on('message', (run: Run) => {
  const report = (ended: boolean) => process.send?.({ ...clients.take(), ended })
  const reports = setInterval(() => report(false), interval)
  void clients.run(run).then(() => {
    clearInterval(reports)
    report(true)
  })
})
