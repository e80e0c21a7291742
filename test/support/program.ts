// The program of this build, as bin/git-metastore.js runs that of `dist`.
import { main } from '../../src/cli/main.js'

await main(process.argv.slice(2))
