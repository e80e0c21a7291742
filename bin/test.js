// npm test: a fresh clone is installed and built first. Further arguments go to mocha: npm test -- --grep paging
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { root, setup } from './setup.js'

setup()
const mocha = join(root, 'node_modules', 'mocha', 'bin', 'mocha.js')
const options = ['--timeout', '120000', '--reporter', join(root, 'bin', 'reporter.cjs')]
const tests = join(root, 'dist', 'test', '**', '*.test.js')
const child = spawn(process.execPath, [mocha, ...options, tests, ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
})
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
