<?php
// SabreDAV over a folder, for tests; sabre-dav.sh says by environment variables what it is to be.
require_once 'Sabre/autoload.php';

use Sabre\DAV;

/** Basic authentication by a file of "name:password" lines. */
class PlainUsers extends DAV\Auth\Backend\AbstractBasic
{
    private array $lines;

    public function __construct(string $file)
    {
        $this->lines = file($file, FILE_IGNORE_NEW_LINES);
    }

    protected function validateUserPass($username, $password)
    {
        return in_array("$username:$password", $this->lines, true);
    }
}

/** The ETags of SabreDAV 3 and later: those of 1.8 are MD5 of the whole file, made anew at every request. */
class QuickFile extends DAV\FSExt\File
{
    public function getETag()
    {
        clearstatcache();
        return '"' . sha1(fileinode($this->path) . filesize($this->path) . filemtime($this->path)) . '"';
    }

    public function put($data)
    {
        file_put_contents($this->path, $data);
        return $this->getETag();
    }

    public function patch($data, $rangeType, $offset = null)
    {
        $file = fopen($this->path, $rangeType == 1 ? 'a' : 'c');
        if ($rangeType != 1) {
            fseek($file, $offset, $rangeType == 2 ? SEEK_SET : SEEK_END);
        }
        is_string($data) ? fwrite($file, $data) : stream_copy_to_stream($data, $file);
        fclose($file);
        return $this->getETag();
    }
}

class QuickDirectory extends DAV\FSExt\Directory
{
    public function createFile($name, $data = null)
    {
        if ($name == '.' || $name == '..') {
            throw new DAV\Exception\Forbidden('Permission denied to . and ..');
        }
        file_put_contents("$this->path/$name", $data);
        return $this->getChild($name)->getETag();
    }

    public function getChild($name)
    {
        $child = parent::getChild($name);
        return $child instanceof DAV\FSExt\File ? new QuickFile("$this->path/$name") : new self("$this->path/$name");
    }
}

$dir = getenv('SABRE_DIR');
$root = getenv('SABRE_QUICK') ? new QuickDirectory("$dir/data") : new DAV\FSExt\Directory("$dir/data");
$server = new DAV\Server($root);
$server->setBaseUri('/dav/');
$users = getenv('SABRE_BASIC')
    ? new PlainUsers("$dir/passwords")
    : new DAV\Auth\Backend\File("$dir/digests");
$server->addPlugin(new DAV\Auth\Plugin($users, 'submit'));
$server->addPlugin(new DAV\Locks\Plugin(new DAV\Locks\Backend\File("$dir/locks/locks")));
if (!getenv('SABRE_NO_PARTIAL')) {
    $server->addPlugin(new DAV\PartialUpdate\Plugin());
}
$server->exec();
