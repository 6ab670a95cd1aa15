"""What a loop has made so far, as commits below refs/loop/ID/: the result, and the receipt.

The same state of a loop gives the same commits, on every machine.
"""

from __future__ import annotations

import os

from ..core.json_text import dumps
from ..core.loop import Loop
from ..core.prompts.parts import spec_summary
from ..core.prompts.phrases import strip_control_characters
from ..core.status import ENDED
from ..disk.files import write_private
from ..drive.errors import UserError
from ..drive.records import loop_records
from ..repo.commit_object import write_commit
from ..repo.git import git_output
from ..repo.kept_trees import kept_tree_ref, tree_of_commit
from ..repo.plumbing import object_store, require_git
from ..store import journal
from ..store.folder import LoopFolder
from ..views import receipt, report

# Below refs/loop/ID/. The first two serve a checkpoint only.
TREE_REF, INDEX_REF = "checkpoint", "index"
RESULT_REF, RECEIPT_REF = "result", "receipt"
RECEIPT_FILE, FACTS_FILE, SUMMARY_FILE = "receipt.md", "receipt.json", "summary.md"
TIP_FILE = "commit"  # in the receipt: the commit that the branch got


def keep_result(folder: LoopFolder, loop: Loop, head: str, kept: str) -> str:
    """Keep the files as a commit on top of HEAD, and the receipt of an ended loop; the commit."""
    root = folder.root
    at = _last_moment(folder, loop)
    tree = _result_tree(folder, head, kept)
    commit = head
    if tree != tree_of_commit(root, head):
        subject = strip_control_characters(spec_summary(loop, 60))
        message = f"loop: {subject}\n\nThe files of loop {loop.id}, which is {loop.status}."
        commit = write_commit(object_store(root), tree, head, message, at)
    git_output(root, "update-ref", kept_tree_ref(loop.id, RESULT_REF), commit)
    if loop.status in ENDED:
        texts = {**_receipt_texts(folder, loop), TIP_FILE: f"{commit}\n"}
        written = _write_files(folder, texts)
        proof = write_commit(object_store(root), written, "", f"receipt of loop {loop.id}", at)
        git_output(root, "update-ref", kept_tree_ref(loop.id, RECEIPT_REF), proof)
    return commit


def _last_moment(folder: LoopFolder, loop: Loop) -> float:
    """When the last line of the journal was written."""
    path = folder.journal_path
    if not os.path.exists(path):
        path = folder.path_of("history", loop.id, "journal.jsonl")
    moment = journal.read(path).moment
    return moment.at if moment else loop.clock.started_at


def _result_tree(folder: LoopFolder, head: str, kept: str) -> str:
    """The tree of HEAD with all that the kept tree changes.

    A tracked file that the kept tree leaves out, because we write it ourselves, stays as in HEAD.
    """
    root, own = folder.root, folder.path_of("tree")
    words = ("diff-tree", "-r", "-z", "--no-renames", f"{head}^{{tree}}", f"{kept}^{{tree}}")
    parts = require_git(root, own, *words).split(b"\0")
    rows, left_out = [], 0
    for change, path in zip(parts[::2], parts[1::2], strict=False):
        _, mode, _, name, kind = change.decode("ascii").split(" ")
        if kind == "D" and os.path.lexists(os.path.join(os.fsencode(root), path)):
            left_out += 1
            continue
        if kind == "D":
            mode, name = "0", "0" * len(name)
        rows.append(f"{mode} {name}\t".encode("ascii") + path + b"\0")
    if not left_out:
        return tree_of_commit(root, kept)
    variables = {
        "GIT_INDEX_FILE": os.path.join(own, "result"),
        "GIT_OBJECT_DIRECTORY": object_store(root),
    }
    require_git(root, own, "read-tree", head, variables=variables)
    write_private(os.path.join(own, "wanted"), b"".join(rows))
    update = ("update-index", "-z", "--index-info")
    require_git(root, own, *update, stdin="wanted", variables=variables)
    return require_git(root, own, "write-tree", variables=variables).decode("ascii").strip()


def _receipt_texts(folder: LoopFolder, loop: Loop) -> dict[str, str]:
    """The receipt of a finished loop; of every other one, why there is none."""
    texts = {SUMMARY_FILE: report.summary(loop)}
    try:
        proven = loop_records.load_receipt(folder, loop.id)
    except UserError as error:
        return {**texts, RECEIPT_FILE: f"There is no receipt: {error}\n"}
    texts[RECEIPT_FILE] = receipt.text(*proven)
    texts[FACTS_FILE] = dumps(receipt.facts(*proven)) + "\n"
    return {name: strip_control_characters(text) for name, text in texts.items()}


def _write_files(folder: LoopFolder, texts: dict[str, str]) -> str:
    """Write these files into the object store, and return the name of their tree."""
    root, own = folder.root, folder.path_of("tree")
    variables = {"GIT_OBJECT_DIRECTORY": object_store(root)}
    rows = []
    for name, text in sorted(texts.items()):
        write_private(os.path.join(own, "wanted"), text.encode("utf-8", "replace"))
        words = ("hash-object", "-w", "--stdin", "--no-filters")
        blob = require_git(root, own, *words, stdin="wanted", variables=variables)
        rows.append(f"100644 blob {blob.decode('ascii').strip()}\t{name}\n")
    write_private(os.path.join(own, "wanted"), "".join(rows).encode())
    tree = require_git(root, own, "mktree", stdin="wanted", variables=variables)
    return tree.decode("ascii").strip()
