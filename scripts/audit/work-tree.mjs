// Work tree and index equal the branch, and no unfinished business lies in .git. Bytes are compared by us: `git status`
// would run filters that a repository may configure.
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { git, objectId } from './git.mjs';

const CHECK = 'work tree';
/** What running tests by hand leaves behind. */
const LEFTOVER = /(^|\/)(__pycache__|\.pytest_cache|node_modules)\/|\.pyc$/u;

export async function auditWorkTree(dir, branch, found) {
  const content = join(dir, 'content');
  if (branch.head === null) {
    found.done(CHECK, 'empty branch');
    return;
  }
  const files = branch.commits.at(-1).files;
  for (const file of files) checkFile(content, file, found);
  const wanted = new Set(files.map((file) => file.path));
  for (const path of filesBelow(content, '.git')) {
    if (!wanted.has(path) && !LEFTOVER.test(path))
      found.fail(CHECK, path, 'is in the work tree and not on the branch');
  }
  await checkIndex(branch.gitDir, files, found);
  checkGitFolder(branch.gitDir, found);
  found.done(CHECK, `${files.length} files`);
}

function checkFile(content, file, found) {
  const path = join(content, file.path);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) {
    found.fail(CHECK, file.path, 'is on the branch and not in the work tree');
  } else if (!stat.isFile()) {
    found.fail(CHECK, file.path, 'is no regular file in the work tree');
  } else if (objectId('blob', readFileSync(path)) !== file.oid) {
    found.fail(CHECK, file.path, 'differs from the branch');
  } else if (((stat.mode & 0o100) !== 0) !== (file.mode === '100755')) {
    found.fail(CHECK, file.path, 'has another executable bit than on the branch');
  }
}

async function checkIndex(gitDir, files, found) {
  const text = (await git(gitDir, ['ls-files', '--stage', '-z'])).toString('utf8');
  const staged = text.split('\0').filter((row) => row !== '');
  const wanted = new Set(files.map((file) => `${file.mode} ${file.oid} 0\t${file.path}`));
  for (const row of staged) {
    if (!wanted.delete(row))
      found.fail(CHECK, row.slice(row.indexOf('\t') + 1), 'is in the index otherwise than on the branch');
  }
  for (const row of wanted) found.fail(CHECK, row.slice(row.indexOf('\t') + 1), 'is missing in the index');
}

function checkGitFolder(gitDir, found) {
  for (const path of filesBelow(gitDir, 'objects')) {
    if (path.endsWith('.lock')) found.fail(CHECK, `.git/${path}`, 'is a lock that somebody left');
    if (path === 'a7/intent.json')
      found.fail(CHECK, `.git/${path}`, 'is a commit that was not finished: run a7-rt run once');
  }
}

/** Files below a folder with `/`, one of its entries left out. */
function filesBelow(folder, leftOut, root = folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (folder === root && entry.name === leftOut) return [];
    return entry.isDirectory()
      ? filesBelow(path, leftOut, root)
      : [relative(root, path).split(sep).join('/')];
  });
}
