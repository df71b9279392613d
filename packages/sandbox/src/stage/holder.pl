# Runs on the host: perl holder.pl NUMBERS DIRECTORY TMPFS-OPTIONS UID MAPPED-FROM USER-MAP CGROUP...
# Makes a private mount namespace with one tmpfs at DIRECTORY, says `ready`, and then does what its input says: a command a line, its fields
# separated by tabs and escaped with `%`. `go` ends a batch and is answered by `done`, or by `failed` and the first thing that went wrong.
# UID is the user of the sandbox, `-` for a rootless one. Mounts that are mapped show files of the user MAPPED-FROM as files of UID; where both are
# the same user they are plain binds. With USER-MAP it holds a user namespace that UID made, and says the number of its descriptor after `ready`.
# Its input ends only when its owner died without destroying the sandbox: then it kills what runs in the control groups, removes them and the
# directory of the sandbox, and dies, and all its mounts with it.
# It calls the kernel itself: a mount(8) for each batch takes longer than all the mounts in it. Few modules: loading takes longer than the work.
use strict;

my ($OPEN_TREE, $MOVE_MOUNT, $MOUNT_SETATTR) = (428, 429, 442);
my ($NEW_MOUNTS, $NEW_USER) = (0x20000, 0x10000000);
my %FLAGS = (ro => 1, nosuid => 2, nodev => 4, noexec => 8, noatime => 0x400, nodiratime => 0x800, relatime => 0x200000);
my ($REMOUNT, $BIND, $RECURSIVE, $PRIVATE) = (0x20, 0x1000, 0x4000, 0x40000);
my ($CLONE, $CLOSE_ON_EXEC, $EMPTY_PATH, $MOVE_EMPTY_PATH, $ID_MAP, $HERE) = (1, 02000000, 0x1000, 4, 0x100000, -100);
my ($FIFO, $EVERYBODY) = (0010000, 0666);

my ($numbers, $directory, $tmpfs_options, $uid, $mapped_from, $user_map, @cgroups) = @ARGV;
my ($mount, $unshare, $mknodat, $setgroups, $setresgid, $setresuid) = map { $_ + 0 } split /,/, $numbers;
my ($own_uid, $own_gid) = ($> + 0, $) + 0);
my ($empty, $failure, $mapping) = ('', '', undef);
$| = 1;
umask 0;

sub check {
  my ($result, $what) = @_;
  die "$what: $!\n" if $result < 0;
  return $result;
}

sub put {
  my ($path, $text) = @_;
  open my $file, '>', $path or die "$path: $!\n";
  syswrite($file, $text) // die "$path: $!\n";
}

sub mount_at {
  my ($source, $target, $type, $flags, $options) = @_;
  check(syscall($mount, "$source", "$target", "$type", $flags, "$options"), "mount $source at $target");
}

sub flags_of {
  my $flags = 0;
  $flags |= $FLAGS{$_} // 0 for split /,/, $_[0];
  return $flags;
}

# The descriptor of a user namespace that a process with the user id $as made, or root.
sub user_namespace {
  my ($as, $map) = @_;
  pipe my $ready, my $say or die "pipe: $!\n";
  my $child = fork // die "fork: $!\n";
  if ($child == 0) {
    if (defined $as) {
      # A number, not a text: of a text the kernel would be given the address.
      my $id = $as + 0;
      exit 1 if syscall($setgroups, 0, 0) < 0 || syscall($setresgid, $id, $id, $id) < 0 || syscall($setresuid, $id, $id, $id) < 0;
    }
    syswrite $say, 'x' if syscall($unshare, $NEW_USER) == 0;
    sleep 1000;
    exit;
  }
  close $say;
  my $namespace;
  my $made = eval {
    sysread $ready, my $answer, 1 or die "no user namespace could be made\n";
    put("/proc/$child/${_}_map", $map) for qw(uid gid);
    open $namespace, '<', "/proc/$child/ns/user" or die "user namespace: $!\n";
  };
  my $failure = $@;
  # In any case: it has the descriptors of this process, and whoever waits for their end would wait for it.
  kill 'KILL', $child;
  waitpid $child, 0;
  die $failure if !$made;
  return $namespace;
}

# Swaps two ids, so that no file is left without an owner.
sub swapped {
  my ($low, $high) = sort { $a <=> $b } @_;
  my @lines = ([0, 0, $low], [$low, $high, 1], [$low + 1, $low + 1, $high - $low - 1], [$high, $low, 1]);
  return join '', map { "@$_\n" } grep { $_->[2] > 0 } @lines;
}

sub bind_mapped {
  my ($source, $target, $flags) = @_;
  $mapping //= user_namespace(undef, swapped($mapped_from, $uid));
  my $tree = check(syscall($OPEN_TREE, $HERE, "$source", $CLONE | $CLOSE_ON_EXEC), "open $source");
  open my $closed_at_end, '<&=', $tree;
  my $attributes = pack 'Q4', $ID_MAP | ($flags & 15), 0, 0, fileno $mapping;
  check(syscall($MOUNT_SETATTR, $tree, $empty, $EMPTY_PATH, $attributes, 32), "map the owners of $source");
  check(syscall($MOVE_MOUNT, $tree, $empty, $HERE, "$target", $MOVE_EMPTY_PATH), "mount $source at $target");
}

my %does = (
  # SOURCE TARGET OPTIONS
  bind => sub {
    my ($source, $target, $options) = @_;
    my $flags = flags_of($options);
    return bind_mapped($source, $target, $flags) if $options =~ /\bmapped\b/ && $uid ne '-' && $uid != $mapped_from;
    mount_at($source, $target, 'none', $BIND | ($options =~ /\brecursive\b/ ? $RECURSIVE : 0), '');
    mount_at('none', $target, 'none', $REMOUNT | $BIND | $flags, '') if $flags;
  },
  # TARGET FLAGS OPTIONS: paths in the options start in the directory.
  overlay => sub {
    my ($target, $flags, $options) = @_;
    mount_at('overlay', $target, 'overlay', flags_of($flags), $options);
  },
  devpts => sub {
    my ($target, $options) = @_;
    mount_at('devpts', $target, 'devpts', $FLAGS{nosuid} | $FLAGS{noexec}, $options);
  },
  pipes => sub {
    check(syscall($mknodat, $HERE, "$_", $FIFO | $EVERYBODY, 0), "mkfifo $_") for @_;
  },
);

eval {
  check(syscall($unshare, $NEW_MOUNTS | ($uid eq '-' ? $NEW_USER : 0)), 'unshare');
  if ($uid eq '-') {
    put('/proc/self/setgroups', 'deny');
    put('/proc/self/uid_map', "0 $own_uid 1");
    put('/proc/self/gid_map', "0 $own_gid 1");
  }
  mount_at('none', '/', 'none', $RECURSIVE | $PRIVATE, '');
  mount_at('assay', $directory, 'tmpfs', 0, $tmpfs_options);
  chdir $directory or die "$directory: $!\n";
  my $held = $user_map eq '' ? undef : user_namespace($uid, $user_map);
  # Kept open, and found below /proc by its number.
  our $kept = $held;
  print 'ready', defined $held ? ' ' . fileno $held : '', "\n";
  1;
} or do { print STDERR $@; exit 1 };

while (my $line = <STDIN>) {
  chomp $line;
  my ($verb, @fields) = map { s/%([0-9A-F]{2})/chr hex $1/ger } split /\t/, $line, -1;
  if ($verb eq 'go') {
    print $failure eq '' ? 'done' : "failed $failure", "\n";
    $failure = '';
  } elsif ($failure eq '') {
    eval { $does{$verb}->(@fields); 1 } or chomp($failure = $@);
  }
}
exec '/bin/sh', '-c', <<'CLEANUP', 'sh', $directory, @cgroups;
exec 2>/dev/null
cd /
directory=${1%/*}
umount -l "$1"
shift
for round in 1 2 3 4 5 6 7 8 9; do
  left=
  for group; do
    [ -d "$group" ] || continue
    left=1
    echo 0 > "$group/pids.max"
    for members in "$group/cgroup.procs" "$group"/*/cgroup.procs; do
      while read -r pid; do kill -9 "$pid"; done < "$members"
    done
    rmdir "$group"/* "$group"
  done
  [ -z "$left" ] && break
  sleep 0.1
done
rm -rf --one-file-system "$directory"
rmdir "${directory%/*}"
CLEANUP
