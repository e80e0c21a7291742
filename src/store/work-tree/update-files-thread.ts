import { runJobLoop } from '../workers/job-loop.js'
import { updateWorkTree } from './update-work-tree.js'

runJobLoop(updateWorkTree)
