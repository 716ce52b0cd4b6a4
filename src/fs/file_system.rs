//! Whether a path leads to a plain file, and on which kind of file system.

use std::fs::File;
use std::io;
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileSystem {
    /// Also an unknown file system.
    Local,
    /// Other computers may use it at the same time.
    Network,
    /// The kernel generates the files (`/proc`, `/sys`). Reading one may block for ever.
    Kernel,
}

impl FileSystem {
    /// An unknown file system counts as a local disk.
    pub fn of(path: &Path) -> Self {
        system::of_path(path)
    }
}

/// Does not block. `None` for a folder, a pipe, a device or a file that the kernel generates.
pub fn open_plain(path: &Path) -> io::Result<Option<File>> {
    // Checked before opening: opening a device may already have an effect.
    if !std::fs::metadata(path)?.is_file() {
        return Ok(None);
    }
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    // Checked on the open file: the name may lead elsewhere by now.
    let is_plain = file.metadata()?.is_file() && system::of_file(&file) != FileSystem::Kernel;
    Ok(is_plain.then_some(file))
}

#[cfg(any(target_os = "linux", target_os = "android"))]
mod system {
    use super::FileSystem;
    use std::fs::File;
    use std::path::Path;

    pub(super) fn of_path(path: &Path) -> FileSystem {
        rustix::fs::statfs(path).map_or(FileSystem::Local, |found| kind(found.f_type as u32))
    }

    pub(super) fn of_file(file: &File) -> FileSystem {
        rustix::fs::fstatfs(file).map_or(FileSystem::Local, |found| kind(found.f_type as u32))
    }

    /// By `f_type` of statfs(2).
    fn kind(magic: u32) -> FileSystem {
        match magic {
            // NFS, SMB and CIFS, AFS, Coda, Ceph, Lustre, GPFS, OCFS2, GFS2, BeeGFS, PanFS, 9P and the shared folders
            // of virtual machines. Also FUSE, because any file system may be behind it (sshfs).
            0x0000_6969 | 0x0000_517b | 0xff53_4d42 | 0xfe53_4d42 | 0x5346_414f | 0x6b41_4653
            | 0x7375_7245 | 0x00c3_6400 | 0x0bd0_0bd0 | 0x4750_4653 | 0x4753_4653 | 0x7461_636f
            | 0x0116_1970 | 0x1983_0326 | 0xaad7_aaea | 0x0102_1997 | 0x786f_4256 | 0x7c7c_6673
            | 0xbacb_acbc | 0x6573_5546 => FileSystem::Network,
            // procfs, sysfs, debugfs, tracefs, cgroups, securityfs, SELinux, bpf, configfs, efivarfs, pstore, devpts,
            // mqueue, binfmt_misc, nsfs, pipefs, sockfs, anonymous inodes.
            0x0000_9fa0 | 0x6265_6572 | 0x6462_6720 | 0x7472_6163 | 0x0027_e0eb | 0x6367_7270
            | 0x7363_6673 | 0xf97c_ff8c | 0xcafe_4a11 | 0x6265_6570 | 0xde5e_81e4 | 0x6165_676c
            | 0x0000_1cd1 | 0x1980_0202 | 0x4249_4e4d | 0x6e73_6673 | 0x5049_5045 | 0x534f_434b
            | 0x0904_1934 => FileSystem::Kernel,
            _ => FileSystem::Local,
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn every_kind_is_told_by_its_number() {
            for (magic, is) in [
                (0x6969, FileSystem::Network),
                (0xff53_4d42, FileSystem::Network),
                (0x6573_5546, FileSystem::Network),
                (0x9fa0, FileSystem::Kernel),
                // ext4, xfs, btrfs, tmpfs, overlayfs
                (0xef53, FileSystem::Local),
                (0x5846_5342, FileSystem::Local),
                (0x9123_683e, FileSystem::Local),
                (0x0102_1994, FileSystem::Local),
                (0x794c_7630, FileSystem::Local),
            ] {
                assert_eq!(kind(magic), is, "{magic:x}");
            }
            assert_eq!(FileSystem::of(Path::new("/proc/self")), FileSystem::Kernel);
            assert_eq!(FileSystem::of(Path::new("/nowhere/at/all")), FileSystem::Local);
        }
    }
}

#[cfg(target_os = "macos")]
mod system {
    use super::FileSystem;
    use std::fs::File;
    use std::path::Path;

    /// In `f_flags` of statfs(2).
    const MNT_LOCAL: u32 = 0x1000;

    pub(super) fn of_path(path: &Path) -> FileSystem {
        rustix::fs::statfs(path).map_or(FileSystem::Local, |found| kind(found.f_flags))
    }

    pub(super) fn of_file(file: &File) -> FileSystem {
        rustix::fs::fstatfs(file).map_or(FileSystem::Local, |found| kind(found.f_flags))
    }

    fn kind(flags: u32) -> FileSystem {
        if flags & MNT_LOCAL == 0 { FileSystem::Network } else { FileSystem::Local }
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "macos")))]
mod system {
    use super::FileSystem;
    use std::fs::File;
    use std::path::{Component, Path, Prefix};

    /// Only a path with a share name (`\\server\share`) is known to be on a network.
    pub(super) fn of_path(path: &Path) -> FileSystem {
        let whole = path.canonicalize();
        match whole.as_deref().unwrap_or(path).components().next() {
            Some(Component::Prefix(prefix))
                if matches!(prefix.kind(), Prefix::UNC(..) | Prefix::VerbatimUNC(..)) =>
            {
                FileSystem::Network
            }
            _ => FileSystem::Local,
        }
    }

    pub(super) fn of_file(_: &File) -> FileSystem {
        FileSystem::Local
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn only_plain_files_are_opened_and_nothing_is_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let plain = folder.path().join("plain.csv");
        std::fs::write(&plain, "name").expect("written");
        assert!(open_plain(&plain).expect("opened").is_some());
        let link = folder.path().join("link.csv");
        std::os::unix::fs::symlink(&plain, &link).expect("a link");
        assert!(open_plain(&link).expect("opened").is_some());
        let pipe = folder.path().join("pipe.csv");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
        assert!(made.success());
        for odd in [pipe.as_path(), folder.path(), Path::new("/dev/zero")] {
            assert!(open_plain(odd).expect("looked at").is_none(), "{}", odd.display());
        }
        let missing = open_plain(&folder.path().join("none")).expect_err("nothing there");
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_the_kernel_makes_up_is_no_plain_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let link = folder.path().join("people.csv");
        std::os::unix::fs::symlink("/proc/self/status", &link).expect("a link");
        for odd in [Path::new("/proc/self/status"), Path::new("/proc/self/environ"), &link] {
            assert!(std::fs::metadata(odd).expect("there").is_file(), "it looks like a file");
            assert!(open_plain(odd).expect("looked at").is_none(), "{}", odd.display());
        }
    }
}
